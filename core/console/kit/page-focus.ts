// After a navigation the new page's h1 takes the focus, so that a screen reader starts there. Not at the first load, where the browser
// has its own order.

let waiting = false
let first = true
let given = false

export const focusState = {
  /** As it begins with a page that was loaded. */
  loaded(): void {
    waiting = false
    first = true
    given = false
  },
  navigated(): void {
    waiting = !first
    first = false
    given = false
  },
  /** Whether a heading that appears now takes the focus: the first after a navigation, and one that replaces a focused heading which is gone. */
  take(): boolean {
    const taken = waiting || (given && document.activeElement === document.body)
    waiting = false
    given ||= taken
    return taken
  },
}

/**
 * Where what had the focus is gone, as a button that did its work, the page's h1 takes it: a keyboard would begin at the top of the window otherwise.
 * Answers how to end it.
 */
export function catchFocus(heading: () => HTMLElement | null): () => void {
  let last: HTMLElement | undefined
  const check = (): void => {
    if (last === undefined || last.isConnected || document.activeElement !== document.body) return
    last = undefined
    heading()?.focus({ preventScroll: true })
  }
  const entered = ({ target }: FocusEvent): void => {
    last = target instanceof HTMLElement && target.closest('main') !== null ? target : last
  }
  // What is removed loses the focus first. Who clicks beside everything wants it nowhere.
  const left = (): void =>
    void setTimeout(() => {
      if (last?.isConnected === true && document.activeElement === document.body) last = undefined
      check()
    })
  const watch = new MutationObserver(check)
  watch.observe(document.body, { childList: true, subtree: true })
  document.addEventListener('focusin', entered)
  document.addEventListener('focusout', left)
  return () => {
    watch.disconnect()
    document.removeEventListener('focusin', entered)
    document.removeEventListener('focusout', left)
  }
}
