// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace throttlescope {

template <typename Signature>
class SharedFunction;

/// A function whose copies are one: codecs hold codecs, and copying what one holds would copy all that is below it.
template <typename Result, typename... Arguments>
class SharedFunction<Result(Arguments...)> {
public:
    template <typename Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, SharedFunction>) SharedFunction(Callable &&callable)
        : m_function(std::make_shared<const std::function<Result(Arguments...)>>(std::forward<Callable>(callable)))
    {
    }

    Result operator()(Arguments... arguments) const { return (*m_function)(std::forward<Arguments>(arguments)...); }

private:
    std::shared_ptr<const std::function<Result(Arguments...)>> m_function;
};

} // namespace throttlescope
