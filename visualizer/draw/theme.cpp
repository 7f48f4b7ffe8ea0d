#include "visualizer/draw/theme.h"

namespace ridge::view {

Theme make_theme(bool dark, float scale) {
  Theme t;
  t.dark = dark;
  t.scale = std::clamp(scale, 1.0f, 3.0f);
  if (dark) {
    t.background = rgb(0x101216), t.panel = rgb(0x181b21), t.panel_head = rgb(0x20242c);
    t.edge = rgb(0x333a45), t.grid = rgb(0x262b33);
    t.text = rgb(0xe8eaed), t.dim = rgb(0xa3acb8), t.faint = rgb(0x67707d);
    t.useful = rgb(0x56b4e9), t.waste = rgb(0xd55e00), t.level = rgb(0xcc79a7), t.focus = rgb(0xf0e442);
  } else {
    t.background = rgb(0xeceef1), t.panel = rgb(0xffffff), t.panel_head = rgb(0xf3f5f7);
    t.edge = rgb(0xc3cad3), t.grid = rgb(0xe3e7ec);
    t.text = rgb(0x15181c), t.dim = rgb(0x4f5965), t.faint = rgb(0x87919d);
    t.useful = rgb(0x0072b2), t.waste = rgb(0xb34a00), t.level = rgb(0xa0457c), t.focus = rgb(0x8a6d00);
  }
  return t;
}

Color Theme::of(Role role) const {
  switch (role) {
    case Role::useful:
      return useful;
    case Role::waste:
      return waste;
    case Role::level:
      return level;
    case Role::focus:
      return focus;
    case Role::quiet:
      return faint;
  }
  return text;
}

void draw_role(Canvas& canvas, const Theme& theme, Rect area, Role role) {
  const Color color = theme.of(role);
  switch (role) {
    case Role::useful:
      canvas.box(area, color);
      break;
    case Role::waste:
      canvas.box(area, color.faded(0.18f));
      canvas.hatch(area, color, theme.px(4), theme.px(1.5f));
      canvas.frame(area, color, theme.px(1));
      break;
    case Role::level:
      canvas.frame(area, color, theme.px(1.5f), theme.px(4));
      break;
    case Role::focus:
      canvas.frame(area, color, theme.px(2.5f));
      break;
    case Role::quiet:
      canvas.frame(area, color, theme.px(1));
      break;
  }
}

}  // namespace ridge::view
