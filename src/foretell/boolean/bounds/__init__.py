"""What theory says about the risk of learning a Boolean function, and what that rests on."""
