// Decides which caller may do what.
#pragma once

#include <cstdint>

#include "leaderboard/access/tokens.h"

namespace ridge::leaderboard {

// The access level of a route. The names are those of `x-access` in the OpenAPI file.
enum class Access {
  anyone,      // no identity is needed
  signed_in,   // a student or an instructor of any class
  board,       // the class's members and its board links; anyone where the class's board is public
  member,      // a student or an instructor of the class
  student,     // a student of the class
  owner,       // the student concerned, or an instructor of the class
  instructor,  // an instructor of the class
  worker,      // a worker's token
};
const char* name_of(Access access);

// The class and person of a request, as far as the path names them.
struct Subject {
  int64_t class_id = 0, person_id = 0;
  bool public_board = false;
};

enum class Decision { allowed, sign_in_first, refused };

Decision authorize(Access access, const Identity& who, const Subject& subject);

}  // namespace ridge::leaderboard
