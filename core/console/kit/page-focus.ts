// After a navigation the new page's h1 takes the focus, so that a screen reader starts there. Not at the first load, where the browser
// has its own order.

let waiting = false
let first = true
let given = false

export const focusState = {
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
