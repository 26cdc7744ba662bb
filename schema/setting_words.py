"""Phrases of a query that name a setting: "dyslexia in exams" asks for what helps with dyslexia, in tests."""

from schema.entity_kinds import SettingName
from schema.text import singularize, tokens

SETTING_WORDS: dict[SettingName, str] = {
    "work": (
        "at my desk|at my job|at my office|at my work|at my workplace|at the job|at the job site|"
        "at the office|at the workplace|at work|during my shift|during my workday|during the workday|"
        "during work hours|during working hours|employee who|for employees|for my employee|for my job|"
        "for work|in an office|in my job|in my office|in my workplace|in our office|in the office|"
        "in the workplace|my employee|my employer|on my job|on my shift|on shift|on the assembly line|"
        "on the clock|on the factory floor|on the job|on the jobsite|on the production line|"
        "on the sales floor|on the shop floor|one of my employees|our employee|to do my job|while at work|"
        "while on duty|work accommodation|work adjustment|workplace accommodation|workplace adjustment"
    ),
    "school": (
        "504|504 accommodation|504 meeting|504 plan|at college|at my college|at my school|at my university|"
        "at preschool|at recess|at school|at the university|at uni|at university|behind at school|class trip|"
        "classmate|classroom accommodation|classwork|college class|college disability office|college kid|"
        "college office|college student|dorm|during class|during lectures|during lessons|"
        "during the school day|ehcp|field trip|fifth grader|first grader|for college|for pupils|for students|"
        "fourth grader|grad school|grad student|gym class|high schooler|homework|iep|iep accommodation|"
        "iep goal|iep meeting|in a lecture|in class|in college|in elementary school|in graduate school|"
        "in high school|in homeroom|in kindergarten|in lectures|in middle school|in my class|in my classroom|"
        "in our class|in our classroom|in primary school|in school|in secondary school|in seminars|"
        "in study hall|in the class|in the classroom|in the dorm|in the lunchroom|in university|"
        "individualized education program|kindergartner|law school|law student|medical school|"
        "medical student|middle schooler|missing school|my pupil|my student|nursing school|nursing student|"
        "on the playground|pe class|preschooler|pupil|pupil with|school accommodation|school bus|school day|"
        "school trip|school work|schoolwork|second grader|section 504|student|student teacher|student who|"
        "taking classes|third grader|university student"
    ),
    "testing": (
        "a level exam|access arrangement|act exam|act test|ap exam|at the testing center|bar exam|board exam|"
        "certification exam|during a test|during an exam|during exams|during finals|during testing|"
        "during tests|during the exam|employment test|entrance exam|exam|exam access arrangement|"
        "exam accommodation|exam arrangement|exam day|exam hall|exam question|exam room|final exam|for exams|"
        "for tests|for the sat|gcse|ged test|gmat|gre|ielts|in a quiz|in a test|in an exam|in exams|"
        "in midterms|in my exam|in tests|in the exam|in the exam hall|licensing exam|lsat|math test|mcat|"
        "midterm|on a test|on exam day|on exams|on quizzes|on test day|on tests|on the sat|praxis|psat|"
        "reading test|regents exam|sat exam|sat test|standardised test|standardized testing|state assessment|"
        "state test|state testing|taking a test|taking the act|test accommodation|test day|test question|"
        "testing accommodation|the sat|toefl|while testing"
    ),
}
# Words of queries that are about a job; unlike the phrases above, they stay in the query.
WORK_WORDS = frozenset(
    (
        "boss", "client", "clients", "colleague", "colleagues", "coworker", "coworkers", "crew", "cubicle", "customer",
        "customers", "employee", "employees", "employer", "employers", "factory", "foreman", "hr", "job", "jobs",
        "manager", "managers", "meeting", "meetings", "office", "offices", "overtime", "payroll", "rota", "shift",
        "shifts", "staff", "supervisor", "supervisors", "warehouse", "warehouses", "worker", "workers",
        "workplace", "workplaces", "workshop",
    )
)  # fmt: skip
# Words for places and the people there, which say nothing of what somebody needs.
PLACE_WORDS = WORK_WORDS | {"campus", "class", "classes", "classroom", "college", "school", "schools", "university"}
SETTING_PHRASES = {
    tuple(map(singularize, tokens(phrase))): setting
    for setting, phrases in SETTING_WORDS.items()
    for phrase in phrases.split("|")
}
MAX_PHRASE_WORDS = max(map(len, SETTING_PHRASES))
