"""Tests of modelled programs."""
