// One function decides access; its table is tested over every route and role.
#include "leaderboard/access/authorization.h"

namespace ridge::leaderboard {

const char* name_of(Access access) {
  switch (access) {
    case Access::anyone:
      return "anyone";
    case Access::signed_in:
      return "signed_in";
    case Access::board:
      return "board";
    case Access::member:
      return "member";
    case Access::student:
      return "student";
    case Access::owner:
      return "owner";
    case Access::instructor:
      return "instructor";
    case Access::worker:
      return "worker";
  }
  return "";
}

Decision authorize(Access access, const Identity& who, const Subject& subject) {
  const bool same_class = subject.class_id != 0 && who.class_id == subject.class_id;
  const bool instructor = who.role == Role::instructor && same_class;
  const bool student = who.role == Role::student && same_class;
  bool allowed = false;
  switch (access) {
    case Access::anyone:
      allowed = true;
      break;
    case Access::signed_in:
      allowed = who.role == Role::student || who.role == Role::instructor;
      break;
    case Access::board:
      allowed =
          subject.public_board || instructor || student || (who.role == Role::board && same_class);
      break;
    case Access::member:
      allowed = instructor || student;
      break;
    case Access::student:
      allowed = student;
      break;
    case Access::owner:
      allowed =
          instructor || (student && subject.person_id != 0 && who.person_id == subject.person_id);
      break;
    case Access::instructor:
      allowed = instructor;
      break;
    case Access::worker:
      allowed = who.role == Role::worker;
      break;
  }
  if (allowed) return Decision::allowed;
  return who.role == Role::nobody ? Decision::sign_in_first : Decision::refused;
}

}  // namespace ridge::leaderboard
