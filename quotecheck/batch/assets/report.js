"use strict";
(() => {
  const cards = [...document.querySelectorAll(".card")];
  const texts = cards.map((card) => card.textContent.normalize("NFC").toLowerCase());
  const statuses = [...document.querySelectorAll("button[data-status]")];
  const flag = document.getElementById("flag");
  const search = document.getElementById("search");
  const shown = document.getElementById("shown");
  const none = document.getElementById("none");
  let current = -1;

  const apply = () => {
    const wanted = new Set(
      statuses.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.dataset.status)
    );
    const needle = search.value.normalize("NFC").toLowerCase().trim();
    let count = 0;
    cards.forEach((card, index) => {
      const visible =
        wanted.has(card.dataset.status) &&
        (!flag.value || card.dataset.flags.split(" ").includes(flag.value)) &&
        (!needle || texts[index].includes(needle));
      card.hidden = !visible;
      count += visible ? 1 : 0;
    });
    shown.textContent = `${count.toLocaleString("en")} of ${cards.length.toLocaleString("en")} listed`;
    none.hidden = count > 0;
  };

  const toggle = (button) => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    apply();
  };

  const move = (step) => {
    let next = current + step;
    while (cards[next] && cards[next].hidden) next += step;
    if (!cards[next]) return;
    current = next;
    cards[current].focus({ preventScroll: true });
    cards[current].scrollIntoView({ block: "nearest" });
  };

  const clear = () => {
    search.value = "";
    flag.value = "";
    statuses.forEach((b) => b.setAttribute("aria-pressed", "true"));
    search.blur();
    apply();
  };

  statuses.forEach((button) => button.addEventListener("click", () => toggle(button)));
  search.addEventListener("input", apply);
  flag.addEventListener("change", apply);
  document.addEventListener("focusin", (event) => {
    const index = cards.indexOf(event.target.closest(".card"));
    if (index >= 0) current = index;
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return clear();
    if (event.target === search || event.target === flag) return;
    if (event.key === "/") {
      event.preventDefault();
      search.focus();
    } else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (/^[1-5]$/.test(event.key) && statuses[event.key - 1]) toggle(statuses[event.key - 1]);
  });
  document.getElementById("tools").hidden = false;
  apply();
})();
