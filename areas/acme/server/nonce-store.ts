// The word of one server to the others about a nonce. It is said through the database, which all of them hear, and leaves no row.

import type { House } from '#core/server/house.ts'

export const nonceChannel = 'chancery_acme_nonces'

export const tellServers = async (house: House, text: string): Promise<void> =>
  void (await house.auditor.pool.query('select pg_notify($1, $2)', [nonceChannel, text]))
