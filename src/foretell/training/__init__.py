"""Training real models: plan, engine, fleet, evaluation, store. Never sees a prediction."""
