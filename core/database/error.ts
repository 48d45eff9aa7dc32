/** What can go wrong between Chancery and its database before the first query; each code has one sentence made where it is found. */
export type DatabaseFault =
  | 'unsupported-platform'
  | 'binaries-missing'
  | 'other-version'
  | 'not-writable'
  | 'not-reachable'
  | 'disk-full'
  | 'data-missing'
  | 'start-failed'
  | 'not-allowed'
  | 'not-connected'

export class DatabaseError extends Error {
  readonly code: DatabaseFault

  constructor(code: DatabaseFault, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.name = 'DatabaseError'
    this.code = code
  }
}

/** The operating system's code of a failed call (`ENOENT`), or undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** A failed file operation as a sentence that a person can act on. */
export function fileFault(error: unknown, path: string): unknown {
  switch (systemCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return new DatabaseError(
        'not-writable',
        `The data folder ${path} cannot be written by this user. Change its owner or choose another folder with CHANCERY_DATA.`,
        { cause: error },
      )
    case 'EROFS':
      return new DatabaseError(
        'not-writable',
        `The data folder ${path} is on a read-only file system. Choose another folder with CHANCERY_DATA.`,
        { cause: error },
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return new DatabaseError(
        'not-writable',
        `The data folder ${path} cannot be made: a file stands in its way. Choose another folder with CHANCERY_DATA.`,
        { cause: error },
      )
    case 'ENOENT':
      return new DatabaseError(
        'not-writable',
        `The data folder ${path} cannot be made or used (${error instanceof Error ? error.message : ''}). Choose another folder with CHANCERY_DATA.`,
        { cause: error },
      )
    case 'ENOSPC':
    case 'EDQUOT':
      return new DatabaseError(
        'disk-full',
        `The disk that holds ${path} is full. Free some space and start again; nothing that was saved is lost.`,
        { cause: error },
      )
    default:
      return error
  }
}
