// A path whose owner may forbid that something is written there.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace ordinal {

/// Watches over a folder and what is in it.
class WriteGuard {
 public:
  /// Throws ConfigError if nothing may be written to `path` any more.
  virtual void check(const std::filesystem::path& path) const = 0;

 protected:
  ~WriteGuard() = default;
};

/// A path; in a guarded folder, with its guard. See write_file_atomically.
class LockedPath : public std::filesystem::path {
 public:
  using path::path;
  // NOLINTNEXTLINE(google-explicit-constructor): any path is one without a guard
  LockedPath(path name, const WriteGuard* guard = nullptr)
      : std::filesystem::path(std::move(name)), guard_(guard) {}

  const WriteGuard* guard() const { return guard_; }
  void check() const {
    if (guard_ != nullptr) guard_->check(*this);
  }

 private:
  const WriteGuard* guard_ = nullptr;
};

inline LockedPath operator/(const LockedPath& folder, const std::filesystem::path& name) {
  return {static_cast<const std::filesystem::path&>(folder) / name, folder.guard()};
}
inline LockedPath operator+(const LockedPath& stem, const std::string& end) {
  return {stem.native() + end, stem.guard()};
}

}  // namespace ordinal
