// Decisions about the tree of organisations, for the server and the console alike. Pure.

/** Levels that the tree may have. */
export const mostLevels = 12

/** Organisations that a tenancy may have. */
export const mostOrganisations = 20_000

const codeLength = 6

/** The code of the n-th organisation of a tenancy. All are of one length, so that the path of one is no beginning of the path of its sibling. */
export const codeOf = (count: number): string => count.toString(36).padStart(codeLength, '0')

/** Says on which level an organisation stands; the first is 1. */
export const levelOf = (path: string): number => path.length / codeLength

/** Names the paths of all that stand above it and its own, the root first. */
export const pathsTo = (path: string): string[] => Array.from({ length: levelOf(path) }, (_, at) => path.slice(0, (at + 1) * codeLength))

/** Whether `path` is the organisation at `above`, or one below it. */
export const isWithin = (path: string, above: string): boolean => path.startsWith(above)

export const organisationTypes = ['organisation', 'company', 'government', 'department', 'division', 'branch', 'team', 'partner'] as const
export type OrganisationType = (typeof organisationTypes)[number]

/** What hinders a move of the subtree at `path`, whose deepest path has so many levels, below `target` ('' for the top). */
export function moveFault(path: string, deepest: number, target: string): 'cycle' | 'tooDeep' | undefined {
  if (target !== '' && isWithin(target, path)) return 'cycle'
  return levelOf(target) + 1 + (deepest - levelOf(path)) > mostLevels ? 'tooDeep' : undefined
}

/** What hangs on an organisation in this room itself. */
export const dependantKinds = { below: 'Organisations below', people: 'People of an organisation' } as const
