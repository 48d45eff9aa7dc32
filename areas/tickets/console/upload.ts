import { changed } from '#core/console/queries.ts'
import { sendFile } from '#core/console/send-file.ts'
import { queryText } from '#core/contract/paths.ts'
import { tickets } from '../contract.ts'

/** Attaches a file to a ticket; throws a CallFault where it is refused. */
export async function attachFile(ticketId: number, file: File): Promise<void> {
  const path = tickets.endpoints.attach.path + queryText({ ticketId, name: file.name })
  await sendFile(path, file, { failed: 'The file was not attached' })
  changed('tickets')
}

export const filePath = (ticketId: number, id: string): string => tickets.endpoints.file.path + queryText({ ticketId, id })
