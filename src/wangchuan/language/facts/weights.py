"""How much each sign weighs that a message answers to a fact (see `bearing`).

The weights are the odds that a regression gives them over our own sets: what corrects, and what is
said beside it of others, of the moment, or of another matter.
"""

LONGEST = {"zh": 40, "en": 110}  # characters of a message that puts something right
SPELT = 0.7  # of the letters of two words that are nearly spelt alike
LATER = 2.0  # the less, many turns later
ENOUGH = 3.0
WEIGHTS = {
    "slip": 4.5,  # something said was wrong
    "turn": 2.0,  # a word that turns back
    "changed": 3.0,  # one thing came for another, or ended
    "now": 1.5,  # something is so by now
    "denied": 4.0,  # a word of the fact is denied
    "shared": 2.5,  # a word in common
    "shared more": 1.0,
    "subject": 1.0,  # the fact's subject is named
    "figure": 2.5,  # a figure that fits one of the fact's
    "figure alone": 2.0,
    "name": 1.0,  # another name where the fact has one
    "like": 1.0,  # a word of the same head, or spelt alike
    "field": 1.5,  # of the same field of life
    "he": 1.5,  # a pronoun that may mean the fact's subject
    "fragment": 1.0,  # a mere value
    "untied": -2.0,  # nothing of this kind
    "speaker": -0.5,
    "other thing": -2.0,  # something else was changed
    "other slot": -1.5,  # it answers another question
    "other first": -3.0,  # it begins with something else
    "other person": -1.0,
    "of another": -2.5,
    "joking": -2.5,
    "long": -2.5,
    "supposed": -3.0,
    "asks": -3.5,
    "to you": -3.5,
}
OTHERWISE = frozenset({"slip", "turn", "changed", "now", "denied"})
TYING = frozenset(
    {"slip", "turn", "shared", "subject", "figure", "like", "name", "field", "he", "denied"}
    | {"fragment"}
)
TAKING_BACK = frozenset({"slip", "turn", "denied"})
LASTS = -2.5  # the odds that what says nothing of this kind lasts
LASTING = {  # how much each sign weighs that what a sentence tells lasts (see `telling`)
    "kin": 2.0,
    "doing": 2.5,
    "a day": 2.0,
    "own": 2.0,
    "settled": 2.0,
    "named": 1.5,
    "a number": 1.5,
    "a hour": 1.5,
    "habit": 1.5,
    "work": 1.0,
    "long": 1.0,
    "body": 0.5,
    "nouns": 0.5,
    "being": 0.5,
    "no verb": -0.5,
    "no noun": -0.5,
    "past": -1.0,
    "felt": -1.0,
    "to you": -1.5,
    "pointing": -2.0,
    "order": -2.5,
    "thought": -2.5,
}
