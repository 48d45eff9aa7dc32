// What a form finds in its own document: the element of a field, the words above it, and the section that it stands in. A fault names a path only.

import { t } from '../text.ts'

export type Problem = { field: string; label: string; says: string; section: string | undefined }

/** The field's element; an error deep inside a list's item leads to the nearest field above it. */
export function fieldNode(box: HTMLElement | null, path: string): HTMLElement | undefined {
  for (let at = path; at !== ''; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
    const found = box?.querySelector<HTMLElement>(`[data-field="${CSS.escape(at)}"]`)
    if (found !== null && found !== undefined)
      return found.matches('input, textarea, select, button')
        ? found
        : (found.querySelector<HTMLElement>('input, textarea, button') ?? found)
  }
  return undefined
}

/** Opens what is folded around a field, so that it can be seen and take the focus. */
export function unfold(node: Element | undefined): void {
  for (let at = node?.closest('details'); at !== null && at !== undefined; at = at.parentElement?.closest('details')) at.open = true
}

export function focusField(box: HTMLElement | null, path: string): void {
  const node = fieldNode(box, path)
  unfold(node)
  node?.focus()
}

function labelOf(node: HTMLElement | undefined): string {
  const typed = node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement ? node : undefined
  // A group within a group is one of its folds; the name of the field stands on the outermost.
  const own = typed?.closest('[data-field][role="group"], [data-field] [role="radiogroup"], [data-field] [role="group"]')
  const group = own === null || own === undefined ? undefined : document.getElementById(own.getAttribute('aria-labelledby') ?? '')
  return (group ?? typed?.labels?.[0])?.textContent?.replace(/\s*\*\s*$/, '') ?? ''
}

/** Each fault with the words above its field, in the order of the page. `said`: where the server said several things about one field. */
export function problemsOf(
  box: HTMLElement | null,
  errors: Readonly<Record<string, unknown>>,
  said: Readonly<Record<string, readonly string[]>>,
): Problem[] {
  const found = Object.entries(errors).flatMap(([field, error]) => {
    if (error === undefined || error === null) return []
    const node = fieldNode(box, field)
    const section = node?.closest<HTMLElement>('[data-form-section]')?.id
    return (said[field] ?? [String(error)]).map((says) => ({ node, problem: { field, label: labelOf(node), says, section } }))
  })
  return found.toSorted((a, b) => inOrder(a.node, b.node)).map(({ problem }) => problem)
}

function inOrder(a: Node | undefined, b: Node | undefined): number {
  if (a === b || a === undefined || b === undefined) return 0
  return (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) === 0 ? 1 : -1
}

/** What is marked as required and left empty, where the call's shape would take it: a sign-in without a name is not worth a question. */
export function emptyRequired(box: HTMLElement | null): Record<string, string> {
  const inputs = [
    ...(box?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
      'input[data-field], textarea[data-field], [data-field] input[required]',
    ) ?? []),
  ]
  const empty = inputs.filter(
    (input) =>
      input.required &&
      input.getAttribute('role') !== 'combobox' &&
      input.type !== 'radio' &&
      input.type !== 'checkbox' &&
      input.value.trim() === '',
  )
  return Object.fromEntries(
    empty
      .map((input) => [input.closest('[data-field]')?.getAttribute('data-field') ?? '', t('Enter a value')])
      .filter(([name]) => name !== ''),
  )
}
