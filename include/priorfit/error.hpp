// What the library throws. Data-dependent outcomes (a covariance that cannot be factored, say) are values in
// result structs; an Error means that the call cannot give a result at all.
#pragma once

#include <stdexcept>
#include <string>

namespace priorfit {

enum class ErrorKind {
  usage,      // the caller's argument breaks a documented rule; the message names the argument
  data,       // a file or matrix does not hold what it should; the message names the place in it
  numerical,  // the computation has no finite answer
  io,         // reading or writing failed for a reason outside the data
  resource,   // not enough memory for the request
  interrupted,
  internal,  // a bug in priorfit
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace priorfit
