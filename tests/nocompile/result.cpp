#include "base/result.h"

tandem::Result<int> Value() { return 3; }
tandem::Result<void> Nothing() { return {}; }

int Use() { return Nothing().ok() ? Value().value() : 0; }

#ifdef NOCOMPILE_DiscardingAValue  // expect: nodiscard|unused
void Discard() { Value(); }
#endif

#ifdef NOCOMPILE_DiscardingVoid  // expect: nodiscard|unused
void DiscardVoid() { Nothing(); }
#endif

#ifdef NOCOMPILE_ReturningNothing  // expect: could not convert|no matching constructor|no viable
tandem::Result<int> ReturnNothing() { return {}; }
#endif

#ifdef NOCOMPILE_UsingAResultAsItsValue  // expect: cannot convert|no viable conversion
int UseAsValue() { return Value(); }
#endif

#ifdef NOCOMPILE_FormattingTheWrongType  // expect: consteval|constexpr|constant expression
tandem::Error Format() { return tandem::Fail(tandem::ErrorKind::kLimit, "{:d} is too many.", "three"); }
#endif
