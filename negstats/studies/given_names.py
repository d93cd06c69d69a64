"""Given names that many people bear, and that are hardly ever another word, a month or a town.

They tell "Anna Schmidt" from "Computer Science". A name that is also a word or a town (Will, Mark, Grace, April, Paris)
is left out, and so is one of a language model (Claude): a column must not be suspected wrongly.
"""

from __future__ import annotations

import unicodedata

GIVEN_NAMES = frozenset(
    """
    aaron abdul abigail adam adele adrian adriana agnes agnieszka ahmad ahmed ahmet aiko aisha alan albert
    alejandra alejandro aleksander aleksandra alessandro alex alexander alexandra alexis alfonso alfred ali
    alice alicia alicja alina alison amanda amelia amelie amina amir amira amit amy ana anastasia anders andre
    andrea andreas andrei andrew andy aneta angela angelika angelo anika anita anja ann anna anne anneliese
    annelise annette annika anthony antoine anton antonia antonio ariel arjun arne arthur arthuro arturo ashley
    astrid asuka augusto aurelie avi aylin ayse barbara barbora bartholomew bartosz beata beatrice beatriz ben
    benedikt benjamin bernd bernhard beth bettina betty birgit bjorn boaz bob bogdan boris brandon branislav
    brenda brian brigid brigitte bronwyn bruno burak caitlin camila camille carla carlos carlotta carmela carmen
    carol caroline carsten catalina catherine cecilia cedric celine charles chen cheng chiara chiharu chinedu
    chloe chris christa christian christiane christina christine christoph christopher claire clara
    claudia clemens concetta constantin cornelia craig cristian cristina cynthia dagmar damian dan dana daniel
    daniela daniele danielle daria dariusz david deborah deepak demir denise dennis derek detlef diana diego
    dieter dimitri dina dirk dmitri dolores dominik donald donna doris dorota dorothea dorothy douglas ebru
    edith eduardo edward edyta efrat eileen eitan ekaterina eleanor elena eli elias elif eliot elisabeth
    elizabeth elke ella ellen elodie elvira emil emilia emilio emily emine emma emmanuel emre enrico enrique
    eric erik erika ernst esperanza esteban esther eszter ethan eugene eva evelyn ewa ezgi fabian faisal farah
    fatima fatma federico felicia felipe felix ferdinand fernanda fernande fernando filip fiona fiorella florian
    francesca francesco francisca francisco franz franziska fred frederic fredrik frieda friedhelm friedrich
    gabriel gabriela gabriele gael gary genevieve georg george georgios gerald gerda gerhard gertrud giacomo
    gideon gilbert giorgio giovanni gisela giulia giuseppe gloria gonzalo greg gregory gretchen grzegorz gudrun
    guido guillaume gunnar gunter gunther gustav gustavo hadas hakan halina hamza hanna hannah hannes hans
    harald harry haruka hassan heather heidi heike heiko heinrich heinrike heinz helen helena helga hendrik
    henrik henry herbert hermann hideo hila hildegard hiroshi holger horst hubert huseyin hyacinth ian ibrahim
    ignacio igor ilan ilana ildiko ines inge ingeborg ingo ingrid irina isabel isabella isabelle ismail itai
    itzhak ivan iwona jacek jacob jacqueline jaime jakob jakub james jamie jana jane janet janina janusz
    jaroslav jasmin jason javier jean jeff jeffrey jelena jennifer jens jeroen jerome jerzy jessica jill jim
    jiri joachim joan joanna joanne joao joaquin johan johann johanna johannes john jolanta jonas jonathan jorg
    jorge jose josef josefine joseph josephine joshua juan juana judith juergen julia julian julie julien jurgen
    justin jutta kaitlyn kamil karen karim karin karl karol karolina karsten kasper katarina katarzyna kate
    katharina katherine kathleen kathrin kathrine katja katrin kazuki keiko keith kelly kenji kenneth kerstin
    kevin khalid kim klaus krishna kristin kristina krzysztof kurt kyle lakshmi lara larry lars laura lauren
    laurent lea leah leandro leila lena leo leon leonard leonie leticia liam lilian lina linda lindsay lior lisa
    lorenzo lothar louis louise luca lucas lucia lucie lucien ludmila ludwig luigi luis luisa lukas lukasz luke
    lydia maciej magdalena maja malgorzata manfred manuel mara marc marcel marcelo marcin marco marcus margaret
    margarita margit margot maria mariana marianne marie marija marina mario marion marisol marketa markus
    marlene marta martha martin martina mary mateo mathias mathieu matteo matthew matthias matthijs maurice
    mauro maximilian maximilien maya megan mehdi mehmet meike melanie melissa merve michael michaela michal
    michelle miguel mikael mike mikhail mila minh mireille miriam miroslav mohamed mohammad mohammed monika
    monique montserrat moritz moshe muhammad murat mustafa myriam nadia nadine nancy naomi nasser natalia
    natalie natasha nathan niamh nicholas nicola nicolas nicole nikita niklas nikolai nikolaos nikolaus nils
    nina noa noah noam noemi nora norbert nuno odile oksana olaf oleg oleksandr olga oliver olivia oliwia omar
    omer ophelie orhan oscar oskar pablo pamela paolo patricia patricio patrick paul paula paulina
    pavel pawel pedro penelope peter petra philip philipp philippe pierre piotr pooja prakash priya rachel
    rafael rafal rahul rainer rajesh ralf ralph ramon ramona raphael raquel raul ravi rebecca reinhard renata
    renate renato rene ricardo richard rita robert roberto robin rodrigo roger roland rolando rolf roman ronald
    ronen rosa rosalind ruben rudolf rupert ruth ryan sabine sabrina sakura sally sam samantha samir samuel
    sandra sanjay sanne sara sarah sascha saskia sean sebastian sebastien selin serge sergei sergey sergio
    sharon shira shlomit shlomo shreya siegfried sigrid silke silvia silvio simon simone solveig sonja
    sophia sophie soren stanislaw stefan stefania stefanie stephan stephanie stephen steven suleiman sunita
    susan susana susanne sven svenja svetlana sylvia szymon tadeusz takeshi tal tamar tamara tanja tatiana
    tatjana teresa theo theresa thierry thilo thomas thorben thorsten tim timothy tina tobias todd tom tomas
    tomasz tony torsten tove tracy tsipi udo ulla ulrich ulrike ursula urszula uwe valentina valerie vanessa
    vasily vera verena veronica veronika victor viktor viktoria vincent vinzenz virginie vittorio vladimir
    volker walter waltraud wei werner wiebke wilfried wilhelm william wojciech wolfgang xavier xiaoli xiaoming
    yael yan yannick yasemin yasmin yehuda yoav yolanda yoshiko yossi yuan yuki yuri yusra yusuf yves yvonne
    zbigniew zdenek zeynep zoe zofia zsofia
    """.split()  # noqa: SIM905 - names read better than quotes
)

_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ı": "i"})  # no letter and an accent


def is_given_name(word: str) -> bool:
    """Whether a word is one of the names, in any case and with or without its accents.

    >>> is_given_name("JOSÉ"), is_given_name("jose"), is_given_name("science")
    (True, True, False)
    """
    plain = unicodedata.normalize("NFKD", word.casefold()).translate(_LETTERS)
    return "".join(letter for letter in plain if unicodedata.category(letter) != "Mn") in GIVEN_NAMES
