// Files to and from the server. One from an address that answers bytes (a file may also come in a call's answer, as one certificate does). It is asked for as a call is: the tenancy
// is named, and whatever is handled once for the whole console is handled for it too.

import { request, tellingFaults } from './send.ts'

/** Asks with GET, or with POST where a body is given. `failed` is the title of a failure. */
export async function askForFile(path: string, { body, failed }: { body?: unknown; failed?: string } = {}): Promise<Blob> {
  const failing = failed === undefined ? {} : { failed }
  return tellingFaults(`file ${path.replace(/\?.*/, '')}`, async () => {
    const { read } = await request(
      failing,
      { method: body === undefined ? 'GET' : 'POST', path, body: body === undefined ? undefined : JSON.stringify(body) },
      { timeoutMilliseconds: 0 },
    )
    return read((response) => response.blob())
  })
}

/** Sends a file to an endpoint that reads it as the body. Takes as long as it takes: a file may be large and the line slow. */
export const sendFile = (path: string, file: Blob, { failed }: { failed?: string } = {}): Promise<void> =>
  tellingFaults(`upload ${path.replace(/\?.*/, '')}`, async () => {
    const failing = failed === undefined ? {} : { failed }
    const { read } = await request(failing, { method: 'POST', path, body: file }, { timeoutMilliseconds: 0 })
    await read((response) => response.text())
  })
