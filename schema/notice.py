"""The notice that every response and every export carries."""

NOTICE = (
    "For information only. This is not legal, medical or HR advice. Each person and each job is different: "
    "talk with the person, and with someone qualified, before you decide."
)
