"""How much each sign weighs that a message answers to a fact (see `bearing`)."""

LONGEST = {"zh": 40, "en": 110}  # characters of a message that puts something right
SPELT = 0.7  # of the letters of two words that are nearly spelt alike
LATER = 3.0  # the less, some turns later
ENOUGH = 4.0  # of evidence that a message answers to a fact that was just told
WEIGHTS = {
    "slip": 3.5,  # something said was wrong
    "turn": 2.0,  # a word that turns back
    "replaced": 3.5,  # one thing came for another
    "now": 2.0,  # something is so by now
    "at present": 0.0,
    "denied": 3.0,  # a word of the fact is denied
    "shared": 3.0,  # a word in common
    "shared more": 1.0,
    "subject": 2.0,  # the fact's subject is named
    "figure": 2.0,  # a figure that fits one of the fact's
    "figure alone": 1.5,
    "other figure": -1.5,
    "name": 1.5,  # another name where the fact has one
    "like": 1.5,  # a word of the same head, or spelt alike
    "field": 1.5,  # of the same field of life
    "bare": 1.0,  # no subject of its own
    "speaker": 0.5,
    "he": 2.5,  # a pronoun that may mean the fact's subject
    "it": 1.5,  # something known is meant
    "other thing": -3.5,  # something else was changed
    "slot": 1.0,  # an answer to the same question
    "other slot": -1.0,
    "other subject": -5.0,
    "other person": -1.5,
    "other first": -1.5,  # it begins with something else
    "fragment": 1.0,  # a mere value
    "should": 0.5,
    "flip": 1.5,  # what was not so is so
    "doubtful": -1.5,
    "joking": -3.5,
    "long": -1.0,
    "to you": -4.0,
    "mood": -4.0,
}
VETOES = frozenset({"asks", "supposed", "of another"})
OTHERWISE = frozenset(
    {"slip", "turn", "replaced", "now", "denied", "figure alone", "fragment", "should"}
)
TAKING_BACK = frozenset({"slip", "turn", "denied"})
# A statement of the speaker's own has one of these, or it speaks of something else.
ANSWERING = TAKING_BACK | {"shared", "slot", "he", "it", "subject", "fragment"}
CHANGES = ({"replaced", "name"}, {"replaced", "at present"})  # or all of one of these
