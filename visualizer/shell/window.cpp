#include "visualizer/shell/window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <atomic>
#include <stdexcept>
#include <utility>
#include <vector>

#include "visualizer/export/png.h"
#include "visualizer/session/analysis/launch_change.h"
#include "visualizer/session/clone_runs.h"
#include "visualizer/shell/file_watch.h"
#include "visualizer/shell/painter.h"
#include "visualizer/shell/play_animation.h"

namespace ridge::view {
namespace {

std::string last_error;

class Window {
 public:
  Window(App& app, const Options& options) : app_(app) {
    glfwSetErrorCallback([](int, const char* words) { last_error = words; });
    if (!glfwInit())
      throw std::runtime_error(
          fmt::format("No window can be opened: {}. Over ssh, use ssh -X; without any display, --picture "
                      "FILE.png makes pictures.",
                      last_error));
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    window_ = glfwCreateWindow(options.width, options.height, "ridge-view", nullptr, nullptr);
    if (!window_) {
      glfwTerminate();
      throw std::runtime_error(
          fmt::format("No window with OpenGL 3.3 can be opened: {}. Mesa draws without a GPU: sudo apt-get "
                      "install libgl1-mesa-dri libgl1",
                      last_error));
    }
    glfwSetWindowSizeLimits(window_, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(window_, this);
    install_callbacks();
    float scale = 1, ignored = 1;
    glfwGetWindowContentScale(window_, &scale, &ignored);
    app_.set_theme(app_.theme().dark, options.scale > 0 ? options.scale : scale);
    app_.to_clipboard = [this](const std::string& text) { glfwSetClipboardString(window_, text.c_str()); };
    app_.save_picture = [this](std::string_view kind) { saving_.emplace_back(kind); };
  }
  ~Window() {
    painter_.reset();
    glfwDestroyWindow(window_);
    glfwTerminate();
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void run() {
    painter_ = std::make_unique<Painter>();
    double before = glfwGetTime();
    bool moving = true;
    while (!glfwWindowShouldClose(window_) && !app_.wants_to_quit()) {
      if (moving || owed_ > 0)
        glfwPollEvents();
      else if (app_.toast_seconds() > 0)
        glfwWaitEventsTimeout(app_.toast_seconds());
      else
        glfwWaitEvents();
      if (changed_()) owed_ = kFramesOwed;
      const double now = glfwGetTime();
      // Time spent asleep does not advance the picture, but it advances toasts.
      const double seconds = moving || app_.toast_seconds() > 0 ? now - before : 0;
      before = now;
      if (owed_ > 0) --owed_;
      int width = 0, height = 0;
      glfwGetFramebufferSize(window_, &width, &height);
      if (width == 0 || height == 0) {  // the window is minimised
        moving = false;
        continue;
      }
      moving = painter_->paint(app_, width, height, seconds);
      for (const std::string& kind : std::exchange(saving_, {}))
        save(kind, width, height);
      glfwSwapBuffers(window_);
      title();
    }
  }
  std::function<bool()> changed_;  // checks for changed files; true: another picture is due
  std::function<void(const std::filesystem::path&)> dropped_;

 private:
  static constexpr double kAnimationSeconds = 6;
  // After each event, because its effects may change something else.
  static constexpr int kFramesOwed = 3;
  static Window& of(GLFWwindow* window) {
    auto& self = *static_cast<Window*>(glfwGetWindowUserPointer(window));
    self.owed_ = kFramesOwed;
    return self;
  }

  Point mouse() const {  // in pixels of the framebuffer
    double x = 0, y = 0;
    glfwGetCursorPos(window_, &x, &y);
    int width = 1, height = 1, pixels_x = 1, pixels_y = 1;
    glfwGetWindowSize(window_, &width, &height);
    glfwGetFramebufferSize(window_, &pixels_x, &pixels_y);
    return {static_cast<float>(x * pixels_x / std::max(1, width)),
            static_cast<float>(y * pixels_y / std::max(1, height))};
  }

  void install_callbacks() {
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int, int action, int mods) {
      if (action != GLFW_RELEASE) of(w).key(key, mods);
    });
    glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned letter) { of(w).letter(letter); });
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double, double) {
      Window& self = of(w);
      self.app_.mouse_to(self.mouse());
    });
    glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int inside) {
      if (!inside) of(w).app_.mouse_away();
    });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int mods) {
      Window& self = of(w);
      if (button != GLFW_MOUSE_BUTTON_LEFT) return;
      if (action == GLFW_PRESS)
        self.app_.mouse_down(self.mouse(), mods & GLFW_MOD_SHIFT);
      else
        self.app_.mouse_up(self.mouse());
    });
    glfwSetScrollCallback(window_, [](GLFWwindow* w, double, double amount) {
      Window& self = of(w);
      self.app_.mouse_wheel(self.mouse(), static_cast<float>(amount));
    });
    glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { of(w); });
    glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { of(w); });
    glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int) { of(w); });
    glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** files) {
      if (count > 0) of(w).dropped_(files[0]);
    });
  }

  // Letters arrive in letter() with the keyboard's layout; with Control pressed there is no letter
  // event, so they arrive here.
  void key(int key, int mods) {
    KeyPress press;
    press.shift = mods & GLFW_MOD_SHIFT;
    press.control = mods & GLFW_MOD_CONTROL;
    switch (key) {
      case GLFW_KEY_LEFT:
        press.code = KeyCode::left;
        break;
      case GLFW_KEY_RIGHT:
        press.code = KeyCode::right;
        break;
      case GLFW_KEY_UP:
        press.code = KeyCode::up;
        break;
      case GLFW_KEY_DOWN:
        press.code = KeyCode::down;
        break;
      case GLFW_KEY_HOME:
        press.code = KeyCode::home;
        break;
      case GLFW_KEY_END:
        press.code = KeyCode::end;
        break;
      case GLFW_KEY_ESCAPE:
        press.code = KeyCode::escape;
        break;
      case GLFW_KEY_TAB:
        press.code = KeyCode::tab;
        break;
      case GLFW_KEY_ENTER:
      case GLFW_KEY_KP_ENTER:
        press.code = KeyCode::enter;
        break;
      case GLFW_KEY_BACKSPACE:
        press.code = KeyCode::backspace;
        break;
      default:
        if (!press.control || key < GLFW_KEY_A || key > GLFW_KEY_Z) return;
        press.character = static_cast<char>('a' + key - GLFW_KEY_A);
    }
    app_.press(press);
  }

  void letter(unsigned letter) {
    if (letter >= 128) return;
    KeyPress press;
    press.character = static_cast<char>(std::tolower(static_cast<int>(letter)));
    press.shift = letter >= 'A' && letter <= 'Z';
    app_.press(press);
  }

  // Earlier files are kept: ridge-view-warp.png, ridge-view-warp-2.png, ...
  static std::string free_name(const std::string& stem, std::string_view ending) {
    std::string name = fmt::format("{}.{}", stem, ending);
    std::error_code ignored;
    for (int number = 2; std::filesystem::exists(name, ignored); ++number)
      name = fmt::format("{}-{}.{}", stem, number, ending);
    return name;
  }

  void save(const std::string& kind, int width, int height) {
    app_.set_bare(true);
    painter_->paint(app_, width, height, 0);
    const App::Panel panel = app_.panel_under_mouse();
    const Rect whole{0, 0, static_cast<float>(width), static_cast<float>(height)};
    const Rect part = panel.area.clipped(whole);
    try {
      const std::string file =
          free_name(fmt::format("ridge-view-{}{}", panel.id, kind == "apng" ? "-animated" : ""),
                    kind == "svg" ? "svg" : "png");
      if (kind == "svg")
        write_text(file, painter_->svg(app_, width, height, part));
      else if (kind == "apng")
        play_animation(app_, *painter_, width, height, part, kAnimationSeconds).write(file);
      else
        write_png(file, static_cast<int>(part.w), static_cast<int>(part.h),
                  cut_out(painter_->pixels(width, height), width, part));
      app_.show_message(fmt::format("saved {}", std::filesystem::absolute(file).string()));
    } catch (const std::exception& error) {
      app_.session().message = error.what();
    }
    app_.set_bare(false);
    owed_ = kFramesOwed;
  }

  void title() {
    const std::string words =
        app_.session().a() ? fmt::format("{} - ridge-view", app_.session().a()->title()) : "ridge-view";
    if (words != title_) glfwSetWindowTitle(window_, words.c_str());
    title_ = words;
  }

  App& app_;
  GLFWwindow* window_ = nullptr;
  std::unique_ptr<Painter> painter_;
  int owed_ = kFramesOwed;
  std::vector<std::string> saving_;  // kinds of pictures that are due
  std::string title_;
};

}  // namespace

void run_window(App& app, const Options& options) {
  Window window(app, options);
  app.session().in_background = true;
  if (app.session().a()) app.session().survey();
  const auto wake = [] { glfwPostEmptyEvent(); };
  // Sets up the watches again when a file is dropped on the window.
  std::filesystem::path file = options.file;
  std::unique_ptr<FileWatch> trace, store;
  std::unique_ptr<CloneRuns> runs;
  const auto watch = [&] {
    runs.reset(), store.reset(), trace.reset();
    trace = std::make_unique<FileWatch>(file, wake);
    runs = std::make_unique<CloneRuns>(file.empty() ? std::filesystem::path(options.clone) : file);
    app.session().clone = runs->root();
    runs->start(wake);
    store = std::make_unique<FileWatch>(runs->store(), wake, FileWatch::What::changes);
  };
  watch();
  window.dropped_ = [&](const std::filesystem::path& dropped) {
    if (!app.session().open(dropped)) return;
    file = dropped;
    watch();
  };
  constexpr double kSecondsForNews = 20;  // a user who saved a file looks at the editor first
  window.changed_ = [&] {
    bool changed = trace->take();
    if (changed) {
      app.show_message({}, 0);
      if (app.session().open(file) && app.session().b())
        app.show_message(news_of(*app.session().a(), *app.session().b()), kSecondsForNews);
    }
    if (store->take()) runs->look();
    return runs->take(app.session()) || changed;
  };
  window.run();
}

}  // namespace ridge::view
