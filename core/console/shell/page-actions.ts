// What can be done on the page that is shown, for the palette: its own buttons and button-links, read where they stand, so that no page has to say them
// a second time and none offers what it does not show.

/** `path`: where a link leads. */
export type PageAction = { label: string; path?: string; run(): void }

export function pageActions(root: ParentNode = document): PageAction[] {
  const found = [...root.querySelectorAll<HTMLElement>('#content [data-page-actions] :is(button, a)')]
  return found
    .filter((one) => !one.hasAttribute('disabled'))
    .map((one) => {
      const path = one.getAttribute('href')
      return { label: (one.textContent ?? '').trim(), ...(path === null ? {} : { path }), run: () => one.click() }
    })
    .filter(({ label }) => label !== '')
}
