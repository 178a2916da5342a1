"""How requests introduce themselves."""

from __future__ import annotations

import pytest

from quotecheck import __version__
from quotecheck.errors import InvalidOption
from quotecheck.sources import agent
from quotecheck.sources.agent import user_agent


def test_user_agent_names_program_and_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a project page and a contact there is nothing else to say."""
    monkeypatch.setattr(agent, "_project_url", lambda: None)
    assert user_agent(None) == f"quotecheck/{__version__}"


def test_user_agent_names_project_page_and_contact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operators can see whom to write to."""
    monkeypatch.setattr(agent, "_project_url", lambda: "https://mill.org/quotecheck")
    expected = f"quotecheck/{__version__} (+https://mill.org/quotecheck; me@mill.org)"
    assert user_agent("me@mill.org") == expected


def test_user_agent_pretends_nothing() -> None:
    """It is no browser, and holds none of the words that stock filters block."""
    for word in ("Mozilla", "bot", "spider", "link", "python", "httpx"):
        assert word not in user_agent(None)


@pytest.mark.parametrize("contact", ["me@mill.org", "https://mill.org/me", "http://mill.org"])
def test_contact_is_a_mail_address_or_a_url(contact: str) -> None:
    """Both are of use to an operator."""
    assert contact in user_agent(contact)


@pytest.mark.parametrize(
    "contact", ["", "me", "a b@mill.org", "me@mill.org\r\nX: y", "ü@mill.org", "me)@mill.org"]
)
def test_other_contact_is_refused(contact: str) -> None:
    """It goes into a header, so it must fit there."""
    with pytest.raises(InvalidOption, match="contact is "):
        user_agent(contact)
