"""Display labels and number formats of the pages."""

PLURAL_TYPES = {
    "disability": "Conditions",
    "limitation": "Limitations",
    "workrelatedfunction": "Work-related functions",
    "solution": "Accommodations",
    "product": "Products",
    "vendor": "Vendors",
    "occupation": "Occupations",
    "ability": "Abilities",
}
SEEDS = {
    "disability": "Condition",
    "limitation": "Limitation",
    "work_function": "Work-related function",
    "occupation": "Occupation",
}
SETTINGS = {"work": "Work", "school": "School", "testing": "Tests and exams"}
SEVERITIES = {"must": "Important:", "should": "Take care:"}
BASES = {
    "source": "stated by a source",
    "derived": "derived from sources",
    "inherited": "inherited from a related condition",
    "editorial": "editorial",
}
MARKET_STATUSES = {
    "verified": "Found on the market",
    "unverified": "Not checked yet",
    "unavailable": "Web page no longer exists",
    "discontinued": "Discontinued",
}
DETAILS = {
    "job_zone": "Preparation needed, 1 to 5",
    "doid": "Disease Ontology code",
    "icd10cm": "ICD-10-CM code",
    "mesh": "MeSH code",
    "onet_soc": "O*NET-SOC code",
    "onet_element": "O*NET element",
    "page": "Web page",
}
TRANSPORTS = {"rest": "web", "mcp": "MCP"}
OUTCOMES = {
    "2xx": "succeeded",
    "3xx": "redirected or not modified",
    "4xx": "rejected",
    "5xx": "failed",
    "none": "client disconnected",
}
CHANGES = {"added": "added", "changed": "changed", "removed": "removed"}
SCORE_PARTS = {
    "coverage": ("Coverage", "how many of the needs it helps with"),
    "evidence": ("Evidence", "how certain it is that it helps with them"),
    "specificity": ("Specificity", "how specific it is to these needs"),
    "first_choice": ("First choice", "whether the editors recommend it early"),
    "fit": ("Fit", "whether it is made for this condition or job"),
}


def detail(name: str) -> str:
    """Return the label of an attribute or external id."""
    return DETAILS.get(name, name.replace("_", " ").capitalize())


def decimal(number: float) -> str:
    """Format a number with at most two decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def shorten(text: str, limit: int = 240) -> str:
    """Cut the text at the last space before the limit."""
    return text if len(text) <= limit else f"{text[:limit].rpartition(' ')[0]} …"
