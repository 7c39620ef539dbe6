"""Is a regular language definable in C-RASP? Decided exactly, with evidence anyone can check.

Start at `decide.py`. The C-RASP[∅] decision is a tower of potentials on the strong components of
the next-letter machine (`machines`, `tower`); with windows and periods it is a linear system over
pairs of states (`pairs`, `peeling`, `triples`). A *yes* becomes configurations and a program
(`configurations`, `stages`, `features`, `synthesis`; `notes` tells what its names stand for), a
*no* becomes flows (`obstructions`) or forced differences (`differences`). `certificates` and
`evidence` write these down, `reading` reads them back, and
`checking/` checks them without using any of the rest. `karoubi` is a second, exponential route to
the same answers, for cross-checks on small semigroups.

Prior art: the criterion for C-RASP[∅] is that of Yang et al., Algebraic decomposition theory for
transformer length generalization (2026), who enumerate cycles and give no certificates. The
polynomial procedures, the fragments with local and periodic relations, the programs and the
certificates are ours; the proofs are elementary and have not been refereed.
"""
