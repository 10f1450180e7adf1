"""How much each sign weighs that a message answers to a fact (see `bearing`).

The weights are the odds that a regression gives them on sets kept for development: what corrects,
and what is said beside it of others, of the moment, or of another matter.
"""

LONGEST = {"zh": 50, "en": 130}  # characters of a message that puts something right
SPELT = 0.7  # of the letters of two words that are nearly spelt alike
LATER = 2.0  # the less, many turns later
ENOUGH = 3.5
AT_ONCE = 1.0  # the less, of an answer to what was said last
STATED = 0.5  # the more, of a message that is a statement by itself
WEIGHTS = {
    "slip": 4.0,  # something said was wrong
    "turn": 1.0,  # a word that turns back
    "instead": 2.0,  # and then a mere value
    "changed": 2.5,  # one thing came for another, or ended
    "now": 2.0,  # something is so by now
    "denied": 3.5,  # a word of the fact is denied
    "shared": 3.0,  # a word in common
    "shared more": 1.5,
    "subject": 3.0,  # the fact's subject is named
    "figure": 3.0,  # a figure that fits one of the fact's
    "figure alone": 1.0,
    "name": 1.0,  # another name where the fact has one
    "contrast": 2.0,  # its own name, and another one beside that
    "like": 1.0,  # a word of the same head, or spelt alike
    "field": 1.0,  # of the same field of life
    "he is": 1.0,  # and then a mere value
    "he": 1.0,  # a pronoun that may mean the fact's subject
    "fragment": 1.0,  # nothing but a value
    "kind": 0.5,  # of the kind that the fact has: a name, or none
    "plain": -1.5,  # nothing turns back, or tells of a change
    "untied": -1.5,  # nothing in common
    "other thing": -2.0,  # something else was changed
    "other slot": -1.5,  # it answers another question
    "other first": -2.0,  # it begins with something else
    "other person": -1.0,
    "of another": -3.0,
    "joking": -1.5,
    "long": -0.5,
    "other matter": -2.5,  # a figure, of something else
    "supposed": -3.0,
    "asks": -3.0,
    "to you": -2.5,
}
VETOES = frozenset({"asks", "supposed", "of another"})  # but for who owns a slip
STAGED = "staged"  # nothing in it is in earnest
OTHERWISE = frozenset({"slip", "turn", "changed", "now", "denied"})
TYING = frozenset({"shared", "subject", "figure", "like", "name", "field", "he", "denied", "kind"})
TAKING_BACK = frozenset({"slip", "turn", "denied"})
LASTS = -2.0  # the odds that what says nothing of this kind lasts
LASTING = {  # how much each sign weighs that what a sentence tells lasts (see `telling`)
    "kin": 2.0,
    "doing": 2.5,
    "a day": 2.0,
    "own": 2.0,
    "settled": 2.5,
    "named": 1.5,
    "a number": 1.5,
    "a hour": 1.5,
    "habit": 1.5,
    "work": 1.0,
    "long": 1.0,
    "body": 0.5,
    "nouns": 0.5,
    "being": 0.5,
    "no verb": -1.0,
    "no noun": -0.5,
    "past": -2.0,
    "adrift": -1.5,
    "asks": -6.0,
    "moment": -2.5,
    "felt": -2.0,
    "to you": -2.5,
    "pointing": -5.0,
    "bygone": -3.5,
    "reported": -5.0,
    "order": -2.5,
    "thought": -5.0,
}
