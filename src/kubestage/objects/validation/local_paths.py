"""Paths that must stay below the directory they are relative to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError


def has_backsteps(target: str) -> bool:
    """Whether an element of the path is ``..``."""
    return ".." in target and ".." in target.split("/")


def validate_no_backsteps(target: str, path: str) -> list[FieldError]:
    """Any path that does not climb."""
    if has_backsteps(target):
        return [field.invalid(path, target, "must not contain '..'")]
    return []


def validate_descending(target: str, path: str) -> list[FieldError]:
    """A relative path that does not climb."""
    errors = []
    if target.startswith("/"):
        errors.append(field.invalid(path, target, "must be a relative path"))
    return errors + validate_no_backsteps(target, path)


def validate_non_reserved(target: str, path: str) -> list[FieldError]:
    """A relative path that does not climb, and is none of the names that the kubelet reserves."""
    errors = validate_descending(target, path)
    if target.startswith("..") and not target.startswith("../"):
        errors.append(field.invalid(path, target, "must not start with '..'"))
    return errors
