"""The report in a real browser: it filters, obeys keys and its own policy, and runs nothing hostile."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from quotecheck.batch.report_page import Card, Page, Passage, render
from quotecheck.models import Status

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1000,1400",
)
HOSTILE = '"><script>document.title="owned"</script><img src=x onerror=\'document.title="owned"\'>'


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    """Start one headless Chromium for the tests of this file."""
    binary = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("needs chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in _FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()


@pytest.fixture
def opened(browser: webdriver.Chrome, tmp_path: Path) -> webdriver.Chrome:
    """Open a report of 1,000 cards from disk."""
    kinds = (Status.NEAR, Status.NOT_FOUND, Status.SOURCE_UNAVAILABLE, Status.EXACT)
    cards = tuple(_card(number, kinds[number % 4]) for number in range(1000))
    counts = dict.fromkeys(kinds, 250)
    report = tmp_path / "report.html"
    report.write_text(
        render(Page(title="rows", finished="today", counts=counts, flags={"repeated": 250}, cards=cards))
    )
    browser.get(report.as_uri())
    return browser


def _card(number: int, status: Status) -> Card:
    quote = HOSTILE if number == 4 else "ماء البئر عذب" if number == 8 else f"quotation {number}"
    flags = ("repeated",) if status is Status.NEAR else ()
    passage = Passage("before ", quote, " after")
    return Card(row=number, status=status, quote=quote, source=HOSTILE, flags=flags, passage=passage)


def visible(browser: webdriver.Chrome) -> int:
    """Return how many cards are shown."""
    return browser.execute_script("return document.querySelectorAll('.card:not([hidden])').length")


def press(browser: webdriver.Chrome, *keys: str) -> None:
    """Type keys at whatever has the focus."""
    for key in keys:
        webdriver.ActionChains(browser).send_keys(key).perform()


def test_report_breaks_no_policy_and_runs_nothing_hostile(opened: webdriver.Chrome) -> None:
    """Hostile rows stay text, and the console shows no violation or error."""
    assert opened.title == "rows: quotation audit"
    assert opened.get_log("browser") == []
    assert visible(opened) == 1000


def test_report_filters_by_verdict_flag_and_words(opened: webdriver.Chrome) -> None:
    """Buttons, the flag list and the search box narrow the list, and Escape shows all again."""
    opened.find_element("css selector", "button[data-status=EXACT]").click()
    assert visible(opened) == 750
    opened.find_element("css selector", "#flag option[value=repeated]").click()
    assert visible(opened) == 250
    opened.find_element("id", "search").send_keys("البئر")
    assert visible(opened) == 1
    assert opened.find_element("id", "shown").text == "1 of 1,000 listed"
    press(opened, "\ue00c")
    assert visible(opened) == 1000


def test_report_obeys_keys(opened: webdriver.Chrome) -> None:
    """Slash goes to the search box, j and k walk over the cards, digits switch verdicts."""
    press(opened, "/", "7", "7", "7")
    assert visible(opened) == 1
    press(opened, "\ue00c", "j", "j")
    assert opened.switch_to.active_element.get_attribute("id") == "row-1"
    press(opened, "k", "1")
    assert opened.switch_to.active_element.get_attribute("id") == "row-0"
    assert visible(opened) == 750


def test_report_follows_direction_and_colour_scheme(opened: webdriver.Chrome) -> None:
    """Arabic reads from the right, and the page turns dark with the system."""
    style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    assert opened.execute_script(style, "#row-8 .words", "direction") == "rtl"
    light = opened.execute_script(style, "body", "backgroundColor")
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    assert opened.execute_script(style, "body", "backgroundColor") != light
