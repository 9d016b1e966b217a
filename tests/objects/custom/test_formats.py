from __future__ import annotations

import pytest

from kubestage.objects.custom import formats

GOOD = {
    "date-time": ["2024-01-01T00:00:00Z", "2024-01-01t23:59:59.5+01:00"],
    "date": ["2024-02-29"],
    "duration": ["1h", "1.5h30m", "0", "-2s", "22 ns", "3 days", "2 weeks"],
    "uri": ["https://a.b/c?d#e", "/path", "urn:x"],
    "email": ["a@b.c", "A B <a@b.c>"],
    "hostname": ["a", "a.example.com", "x-1"],
    "ipv4": ["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"],
    "ipv6": ["::1", "fe80::1"],
    "cidr": ["10.0.0.0/8", "10.1.2.3/8", "fd00::/8"],
    "mac": ["01:23:45:67:89:ab", "01-23-45-67-89-ab", "0123.4567.89ab"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"],
    "uuid3": ["123e4567-e89b-32d3-a456-426614174000"],
    "uuid4": ["123e4567-e89b-42d3-a456-426614174000"],
    "uuid5": ["123e4567-e89b-52d3-a456-426614174000"],
    "isbn": ["0321751043", "978-0321751041"],
    "isbn10": ["0321751043"],
    "isbn13": ["978-0321751041"],
    "creditcard": ["4111-1111-1111-1111"],
    "ssn": ["111-11-1111", "111 11 1111"],
    "hexcolor": ["#fff", "00FF00"],
    "rgbcolor": ["rgb(0, 1,255)"],
    "byte": ["YQ==", "YWJj"],
    "password": ["", "anything"],
    "bsonobjectid": ["507f1f77bcf86cd799439011"],
    "k8s-short-name": ["a-b", "1"],
    "k8s-long-name": ["a.b-c"],
}
BAD = {
    "date-time": ["yesterday", "2024-01-01", "2024-01-01T24:00:00Z", "2024-02-30T00:00:00Z", "t"],
    "date": ["2024-2-9", "2023-02-29", ""],
    "duration": ["", "1", "h", "1 x"],
    "uri": ["", "no uri", "a b:c", "x"],
    "email": ["a", "@b", "a@", "<a@b.c"],
    "hostname": ["", "-a", "a..b", "a_b", "a" * 64],
    "ipv4": ["1.2.3", "256.1.1.1", "::1"],
    "ipv6": ["1.2.3.4", ":::", "fe80::1%eth0"],
    "cidr": ["10.0.0.0", "10.0.0.0/33", "x/8"],
    "mac": ["01:23", "01:23:45:67:89:zz", "01:23-45:67:89:ab"],
    "uuid": ["123e4567-e89b-12d3-a456-42661417400"],
    "uuid3": ["123e4567-e89b-42d3-a456-426614174000"],
    "uuid4": ["123e4567-e89b-42d3-c456-426614174000"],
    "uuid5": ["123e4567-e89b-42d3-a456-426614174000"],
    "isbn": ["1"],
    "isbn10": ["0321751044"],
    "isbn13": ["978-0321751042"],
    "creditcard": ["4111-1111-1111-1112"],
    "ssn": ["11-11-1111"],
    "hexcolor": ["#ff", "red"],
    "rgbcolor": ["rgb(0,1,256)"],
    "byte": ["Y", "YQ=", "", "Y Q="],
    "bsonobjectid": ["507f"],
    "k8s-short-name": ["A", "a.b", "-a", "a" * 64],
    "k8s-long-name": ["A", "a..b", "a" * 254],
}


@pytest.mark.parametrize("name", GOOD)
def test_a_format_knows_its_own(name: str) -> None:
    test = formats.test_of(name)
    assert test is not None
    assert [text for text in GOOD[name] if not test(text)] == []


@pytest.mark.parametrize("name", BAD)
def test_a_format_knows_what_is_not(name: str) -> None:
    test = formats.test_of(name)
    assert test is not None
    assert [text for text in BAD[name] if test(text)] == []


@pytest.mark.parametrize(
    ("kind", "name", "known"),
    [
        ("string", "date-time", "date-time"), ("string", "int32", ""),
        ("integer", "int32", "int32"), ("integer", "date", ""),
        ("number", "double", "double"), ("number", "int64", ""),
        ("", "uuid", "uuid"), ("object", "uuid", ""), ("string", "odd", ""),
    ],
)  # fmt: skip
def test_a_format_belongs_to_a_type(kind: str, name: str, known: str) -> None:
    assert formats.known(kind, name) == known
