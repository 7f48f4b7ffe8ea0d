// The functions that a page calls in the WebAssembly module. Handles are pointers to Page; texts
// are UTF-8 that ends with a zero.
#include <emscripten.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "visualizer/web/command_canvas.h"
#include "visualizer/web/surface.h"

// The advance width of a letter as a part of the font's size; the page gives the function when it
// starts the module.
EM_JS(float, ridge_advance, (int face, int letter), { return Module["advance"](face, letter); });

namespace {

using namespace ridge::view;

LetterWidths& letter_widths() {
  static LetterWidths widths([](Face face, uint32_t letter) {
    return ridge_advance(static_cast<int>(face), static_cast<int>(letter));
  });
  return widths;
}

struct Page {
  std::unique_ptr<Surface> surface;
  CommandCanvas canvas{letter_widths()};
  std::string state;  // of the last ridge_state()
};

}  // namespace

extern "C" {

// A kind of make_surface(). 0: there is no such kind.
EMSCRIPTEN_KEEPALIVE Page* ridge_create(const char* kind) {
  auto page = std::make_unique<Page>();
  page->surface = make_surface(kind);
  return page->surface ? page.release() : nullptr;
}

EMSCRIPTEN_KEEPALIVE void ridge_destroy(Page* page) {
  delete page;
}

// 1: the trace is open. The bytes are copied.
EMSCRIPTEN_KEEPALIVE int ridge_open(Page* page, const uint8_t* bytes, size_t size,
                                    const char* name) {
  return page->surface->open({bytes, size}, name);
}

// Pixels are CSS pixels. 1: something moves, so another picture is due.
EMSCRIPTEN_KEEPALIVE int ridge_draw(Page* page, float width, float height, int dark, float scale,
                                    double seconds) {
  page->canvas.clear();
  page->surface->set_theme(dark != 0, scale);
  return page->surface->draw(page->canvas, {0, 0, width, height}, seconds);
}

// The list of the last ridge_draw(), as visualizer/web/command_canvas.h describes it.
EMSCRIPTEN_KEEPALIVE const uint32_t* ridge_commands(const Page* page) {
  return page->canvas.commands().data();
}
EMSCRIPTEN_KEEPALIVE size_t ridge_command_words(const Page* page) {
  return page->canvas.commands().size();
}

// `code` is a KeyCode. 1: the key had a meaning.
EMSCRIPTEN_KEEPALIVE int ridge_key(Page* page, int code, int character, int shift) {
  return page->surface->press(
      {static_cast<KeyCode>(code), static_cast<char>(character), shift != 0, false});
}

// `kind` is a PointerKind.
EMSCRIPTEN_KEEPALIVE void ridge_pointer(Page* page, int kind, float x, float y, float wheel,
                                        int shift) {
  page->surface->pointer(static_cast<PointerKind>(kind), {x, y}, wheel, shift != 0);
}

// 1: the setting has this value now.
EMSCRIPTEN_KEEPALIVE int ridge_set(Page* page, const char* name, double value) {
  return page->surface->set(name, value);
}

// JSON, as Surface::state() describes it; valid until the next call.
EMSCRIPTEN_KEEPALIVE const char* ridge_state(Page* page) {
  page->state =
      page->surface->state().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return page->state.c_str();
}

// The page's fonts changed.
EMSCRIPTEN_KEEPALIVE void ridge_forget_letters() {
  letter_widths().forget();
}

}  // extern "C"
