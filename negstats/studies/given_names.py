"""Given names that many people bear, and that are hardly ever another word, a month or a town.

They tell "Anna Schmidt" from "Computer Science". The list is short on purpose: a name that is also a word (Will, Mark,
Grace, April, Paris) is left out, for a column must not be suspected wrongly.
"""

from __future__ import annotations

import unicodedata

GIVEN_NAMES = frozenset(
    """
    aaron abdul abigail adam adrian ahmad ahmed aisha alan albert alejandro alessandro alex alexander alexandra
    alexis ali alice alicia alina alison amanda amelia amir amit amy ana anastasia andre andrea andreas andrei
    andrew andy angela angelika anita anja ann anna anne annette anthony antonio ariel arjun arthur ashley
    astrid avi ayse barbara beatrice ben benjamin bernd bernhard beth betty birgit bob boris brandon brenda
    brian brigitte bruno camille carla carlos carmen carol caroline catherine cecilia charles chen chiara chloe
    chris christian christina christine christoph christopher claire clara claudia craig cynthia dan dana daniel
    daniela daniele danielle david deborah denise dennis derek diana diego dieter dimitri dina dmitri dominik
    donald donna doris dorothy douglas edward eitan elena eli elias elif eliot elisabeth elizabeth ella ellen
    emily emma emmanuel eric erik erika esther ethan eugene eva evelyn fabian fatima federico felix fernando
    filip fiona florian francesca francesco francisco franz fred frederic friedrich gabriel gabriela gary george
    georg gerald gerhard gideon giovanni giulia giuseppe gloria greg gregory guillaume hannah hannes hans harald
    harry hassan heather heidi heike heinrich heinz helen helena helga henrik henry herbert hiroshi holger ian
    ibrahim igor ilan ilana ingrid irina isabel isabella ivan jacob jacqueline jakob james jamie jana jane
    janet jason javier jean jeff jeffrey jennifer jens jessica jill jim joan joanna johan johann johannes john
    jonas jonathan jorge jose josef joseph joshua juan juergen julia julian julie julien jurgen justin kaitlyn
    karen karin karl karsten kate katharina katherine kathleen kathrin katja keith kelly kenneth kevin kim klaus
    kristin kristina kurt kyle lara larry laura lauren lea leah lena leo leon leonard leonie liam lilian lina
    linda lindsay lisa louis louise luca lucas lucia luis luisa lukas luke maja manfred manuel mara marc marcel
    marco marcus margaret maria marie marina mario marion markus marta martha martin martina mary mateo matteo
    matthew matthias maximilian maya megan mehmet melanie melissa michael michaela michelle miguel mike mila
    miriam mohamed mohammad mohammed monika mustafa nadia nadine nancy naomi natalia natalie natasha nathan
    niamh nicholas nicola nicolas nicole nikita niklas nils nina noa noah noam nora norbert oksana olaf oleg
    olga oliver olivia omar oscar oskar pablo pamela patricia patrick paul paula pedro peter petra philip
    philipp philippe pierre priya rachel rafael rainer ralf ralph ramona raphael raul rebecca renate rene
    ricardo richard rita robert roberto robin roger rolf roman ronald ronen rosa ruth ryan sabine sally sam
    samantha samir samuel sandra sanjay sara sarah sascha sean sebastian sergei sergey sharon shira shlomo silke
    silvia simon simone sonja sophia sophie stefan stefanie stephan stephanie stephen steven susan susanne
    svetlana sven sylvia tal tamar tanja tatiana teresa theo theresa thomas thorsten tim timothy tina tobias
    todd tom tomas tony tracy ulrich ulrike ursula uwe valentina vanessa vera veronica victor vincent vladimir
    walter wei werner wilhelm william wolfgang xavier yael yan yasmin yossi yuki yusuf yves yvonne zeynep zoe
    """.split()  # noqa: SIM905 - names read better than quotes
)

_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ı": "i"})  # no letter and an accent


def is_given_name(word: str) -> bool:
    """Whether a word is one of the names, in any case and with or without its accents.

    >>> is_given_name("JOSÉ"), is_given_name("jose"), is_given_name("science")
    (True, True, False)
    """
    small = unicodedata.normalize("NFKD", word.casefold()).translate(_LETTERS)
    return "".join(letter for letter in small if unicodedata.category(letter) != "Mn") in GIVEN_NAMES
