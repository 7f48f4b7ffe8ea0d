// Makes responses: documents, refusals and cookies.
#include <fmt/format.h>

#include "harness/report/store/database.h"
#include "leaderboard/api/app.h"
#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

using nlohmann::json;

namespace {

Response error_response(const ApiError& error) {
  Response response =
      json_response({{"error", {{"what", error.what}, {"next", error.next}}}}, error.status);
  if (error.retry_after_seconds > 0)
    response.headers.emplace_back("Retry-After", std::to_string(error.retry_after_seconds));
  return response;
}

}  // namespace

std::string session_cookie(const App& app, const std::string& secret, int64_t lives_s) {
  return fmt::format("ridge_session={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}", secret,
                     lives_s, app.options().secure_cookies ? "; Secure" : "");
}

json number_or_null(const std::optional<double>& number) {
  return number ? json(*number) : json(nullptr);
}

Response json_response(const json& document, int status) {
  return {status, dumped(document)};
}

Response answered(const std::function<Response()>& make, std::string* trouble) {
  try {
    return make();
  } catch (const ApiError& error) {
    return error_response(error);
  } catch (const json::type_error&) {
    return error_response(
        {400, "a field of the request has the wrong type", "See /api/v1/openapi.json."});
  } catch (const UncertainError& error) {
    if (trouble) *trouble = error.what();
    return error_response({503,
                           fmt::format("it is not certain that this was stored: {}", error.what()),
                           "Before you try again, look whether it was stored."});
  } catch (const report::StoreError& error) {
    if (trouble) *trouble = error.what();
    return error_response({503, fmt::format("nothing was stored: {}", error.what()),
                           "The server's operator must fix this; then try again."});
  } catch (const std::exception& error) {
    return error_response(
        {500, fmt::format("the server failed: {}", error.what()), "Tell the server's operator."});
  }
}

}  // namespace ridge::leaderboard
