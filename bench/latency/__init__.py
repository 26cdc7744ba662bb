"""How fast the service is: beside the engine itself, and beside what somebody would take instead. `make bench`.

One run, one machine: contenders take turns, each turn as short as the others, round after round, so that a busy moment
hits all alike. What is measured goes into one JSON report, and the page of figures is drawn from that file alone.
"""
