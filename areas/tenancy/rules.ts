import * as z from 'zod'

/** A colour as CSS writes it in six digits. The console moves its lightness until contrast holds; here any hue is allowed. */
export const Colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'Enter a colour such as #1f6feb')

export const defaultColour = '#1f6feb'

/** Whether the engine that runs this knows the zone by the name. */
export const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export type TenancyKind = 'management' | 'tenant'

/** A management tenancy's person works in one tenancy at a time: the own one, or one that it manages. */
export const mayWorkIn = (home: { id: string }, target: { id: string; managedBy: string | undefined; endsAt: Date | undefined }): boolean =>
  target.id === home.id || (target.managedBy === home.id && target.endsAt === undefined)

/** A management tenancy is one that manages more than one tenancy, whichever the installation began with. */
export const isManagement = (managed: readonly unknown[]): boolean => managed.length > 1

/** Where the room of set-up, which stands above, makes a tenancy. */
export const newTenancyPath = '/tenancy/manage/create'

/** Where the room of departure, which stands above, lets a deleted tenancy be kept. */
export const departurePath = '/config/tenancy/departure'

/** What the sign-in names end with that a tenancy alone can give; the random end says of no tenancy whether it exists. */
export const suffixOf = (name: string, random: string): string => {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 16)
    .replaceAll(/^-+|-+$/g, '')
  return `${plain === '' ? 'tenancy' : plain}-${random}`
}
