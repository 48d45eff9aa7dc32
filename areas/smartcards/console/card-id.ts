// How the console names a card to the server: by its number, its application, and the reader where it is in one.

import { appletId } from '../rules.ts'

export const cardNamed = (serial: string) => ({ serial, applet_id: appletId })

export const cardIn = (serial: string, { name: readerName }: { name: string }) => ({ ...cardNamed(serial), readerName })
