// Where somebody goes after signing in, as an address named it.

import { readOwnPath } from '#core/contract/own-path.ts'

/** A path of our own; none where none was named, undefined where it leads to another origin. */
export const ownPath = (redirect: string): string | undefined => (redirect === '' ? '' : readOwnPath(redirect))
