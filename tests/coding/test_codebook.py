"""The codebook: what it holds, and each fault with file, line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from negstats.coding import Codebook, read_codebook
from negstats.errors import UsageError
from tests.coding.conftest import codebook_file
from tests.coding.talks import CODEBOOK


def test_keys_are_those_of_the_file_and_then_the_free_ones(book: Codebook) -> None:
    assert [(code.name, code.key) for code in book.codes] == [("offer", 1), ("reject", 5), ("reason", 2)]
    assert book.groups == {"move": ("offer", "reject")}
    assert (book.title, book.unit, book.spans) == ("Offers and reasons", "message", True)


def test_the_tenth_code_has_no_key(tmp_path: Path) -> None:
    codes = "\n".join(f'[[codes]]\nname = "c{place}"' for place in range(11))
    book = read_codebook(codebook_file(tmp_path, f'title = "many"\n{codes}'))
    assert [code.key for code in book.codes] == [*range(1, 10), None, None]


def test_comments_and_order_of_fields_do_not_change_its_hash(tmp_path: Path, book: Codebook) -> None:
    other = CODEBOOK.replace('label = "Offer"\n', "").replace("key = 5\n", "") + "\n# a comment\n"
    other = other.replace('name = "offer"\n', 'label = "Offer"\nname = "offer" # same\n').replace(
        'name = "reject"\n', 'key = 5\nname = "reject"\n'
    )
    assert read_codebook(codebook_file(tmp_path, other)).sha256 == book.sha256
    assert read_codebook(codebook_file(tmp_path, CODEBOOK.replace("Says why", "Tells why"))).sha256 != book.sha256


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Offers and reasons"', "", "codes.toml, line 1, title: is not there"),
        ("spans = true", "spans = 1", "line 3, spans: is 1; give true or false"),
        ("spans = true", 'unit = "talk"', "line 3, unit: is 'talk'; only a 'message' can be coded"),
        ("spans = true", "span = true", "line 3, span: is not a field of a codebook; did you mean 'spans'"),
        ('name = "reject"', 'name = "re,ject"', "line 13, codes 2.name: is 're,ject'; a name has"),
        ('name = "reject"', 'name = "none"', "line 13, codes 2.name: is 'none'"),
        ('name = "reject"', 'name = "Offer"', "line 13, codes 2.name: is 'Offer', as that of the code 'offer'"),
        ("key = 5", "key = 10", "line 16, codes 2.key: is 10; a key is a whole number from 1 to 9"),
        ("key = 5", "key = true", "codes 2.key: is True"),
        ('label = "Reason"', 'label = "rejection"', "codes 3.label: is 'rejection', as that of the code 'reject'"),
        ('group = "move"\nkey', "key", "codes 1.group: 'move' has one code; a group has two or more"),
        ('label = "Reason"', "label = 3", "codes 3.label: is 3; write a text"),
        ('label = "Reason"', 'colour = "red"', "codes 3.colour: is not a field of a codebook"),
        ('label = "Reason"', 'label = "Reason', "line 20: TOML cannot read this"),
        ('definition = "Says why."', f'definition = "{"x" * 2001}"', "has 2,001 characters; at most 2,000 fit a page"),
    ],
)
def test_a_fault_is_named_with_file_line_and_field(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in CODEBOOK
    with pytest.raises(UsageError) as error:
        read_codebook(codebook_file(tmp_path, CODEBOOK.replace(old, new, 1)))
    assert message in str(error.value)
    assert str(tmp_path) in str(error.value)


@pytest.mark.parametrize("text", ['title = "x"', 'title = "x"\ncodes = []', 'title = "x"\ncodes = ["a"]'])
def test_without_codes_it_is_no_codebook(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="codes"):
        read_codebook(codebook_file(tmp_path, text))


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not there"):
        read_codebook(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        read_codebook(tmp_path / "bytes.toml")
