// Arrow keys, notes, and text that shrinks until it fits its slide.
const slides = [...document.querySelectorAll("section")];

function fit(slide) {
  const body = slide.querySelector(".body");
  body.style.fontSize = "";
  const size = parseFloat(getComputedStyle(body).fontSize);
  for (let part = 100; part >= 45 && body.scrollHeight > body.clientHeight + 1; part -= 5) {
    body.style.fontSize = `${(size * part) / 100}px`;
    for (const inner of body.querySelectorAll("table")) inner.style.fontSize = `${0.85 * part}%`;
  }
}
// Drawings made of letters are not to wrap.
function narrow(code) {
  for (let part = 100; part >= 50 && code.scrollWidth > code.clientWidth + 1; part -= 5) code.style.fontSize = `${0.82 * part}%`;
}
const fit_all = () => {
  document.querySelectorAll("pre").forEach((code) => (code.style.fontSize = ""));
  document.querySelectorAll("pre").forEach(narrow);
  slides.forEach(fit);
};
addEventListener("load", fit_all);
addEventListener("resize", fit_all);
addEventListener("beforeprint", fit_all);

const nearest = () => slides.reduce((best, slide, index) => (Math.abs(slide.getBoundingClientRect().top) < Math.abs(slides[best].getBoundingClientRect().top) ? index : best), 0);
addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 }[event.key];
  if (step) {
    slides[Math.min(slides.length - 1, Math.max(0, nearest() + step))].scrollIntoView();
    event.preventDefault();
  } else if (event.key === "n" || event.key === "N") document.body.classList.toggle("with-notes");
});
