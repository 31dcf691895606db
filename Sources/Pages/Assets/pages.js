// Conveniences only: every page works without this script.
"use strict";

// A form that asks for a page by a choice sends itself when the choice changes; its button stays for keyboards.
for (const form of document.querySelectorAll("form[data-auto]")) {
  form.addEventListener("change", () => form.requestSubmit());
}

// A form is sent once: a second click on its button does nothing.
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}

// A page that the browser brings back from its memory shows what was, and its forms count as sent.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// The slider of the history shows the moment that it stands on.
for (const slider of document.querySelectorAll("input[type=range][data-moments]")) {
  const moments = slider.dataset.moments.split("|");
  const output = document.getElementById(slider.getAttribute("aria-describedby"));
  slider.addEventListener("input", () => {
    const moment = moments[Number(slider.value) - Number(slider.dataset.first)] ?? "";
    if (output) output.textContent = moment;
    slider.setAttribute("aria-valuetext", moment);
  });
}
