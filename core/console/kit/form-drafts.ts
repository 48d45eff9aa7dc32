// What was typed when the session ended, in memory only, so that signing in again finds the form as it was left.

type Draft = { where: string; values: unknown; at: number }

const retainedMilliseconds = 30 * 60_000
let drafts: Draft[] = []

export function keepDraft(where: string, values: unknown): void {
  drafts = [...drafts.filter((draft) => draft.where !== where), { where, values, at: Date.now() }]
}

export function takeDraft(where: string): unknown {
  const found = drafts.find((draft) => draft.where === where && Date.now() - draft.at < retainedMilliseconds)
  drafts = drafts.filter((draft) => draft.where !== where)
  return found?.values
}

/** Somebody else signs in: nothing of the last person stays. */
export const forgetDrafts = (): void => {
  drafts = []
}
