#include "base/typed_id.h"

using AppleId = tandem::TypedId<struct AppleTag, std::uint32_t>;
using PearId = tandem::TypedId<struct PearTag, std::uint32_t>;

bool Take(AppleId id) { return id == AppleId(3); }

#ifdef NOCOMPILE_ComparingTwoKinds  // expect: no match for .operator==|invalid operands to binary expression
bool Compare() { return AppleId(3) == PearId(3); }
#endif

#ifdef NOCOMPILE_PassingAnotherKind  // expect: could not convert|no matching function|no viable conversion
bool Pass() { return Take(PearId(3)); }
#endif

#ifdef NOCOMPILE_PassingANumber  // expect: could not convert|no matching function|no viable conversion
bool PassNumber() { return Take(3); }
#endif

#ifdef NOCOMPILE_Adding  // expect: no match for .operator\+|invalid operands to binary expression
auto Add() { return AppleId(3) + AppleId(4); }
#endif
