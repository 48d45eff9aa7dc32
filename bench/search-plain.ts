// The same questions as statements that come to mind first: LIKE over the columns that are searched, count and group by for the counts, offset for the page. The same
// rows and indexes, without row security, which would only slow them down.

import pg from 'pg'
import type { Question } from './search-load.ts'
import type { Tenant } from './search-rows.ts'

type Body = {
  text?: string
  status?: string[]
  templateId?: string[]
  caId?: string[]
  expires?: string
  page?: number
  size?: number
  sort?: string
  direction?: string
}

const states: Record<string, string> = {
  revoked: 'revoked_at is not null',
  expired: 'revoked_at is null and not_after < now()',
  expiring: `revoked_at is null and not_after between now() and now() + interval '30 days'`,
  active: `revoked_at is null and not_after > now() + interval '30 days'`,
}
const windows: Record<string, number> = { week: 7, month: 30, quarter: 90, year: 365 }
const orders: Record<string, string> = { name: 'lower(name)', notAfter: 'not_after', issuedAt: 'issued_at', serialNumber: 'serial_hex' }

/** Milliseconds of each. */
export async function askPlainly(
  connection: pg.ClientConfig,
  questions: readonly Question[],
  tenants: readonly Tenant[],
  clients: number,
): Promise<number[]> {
  const pool = new pg.Pool({ ...connection, max: clients })
  const left = [...questions]
  const taken: number[] = []
  const client = async () => {
    for (let question = left.pop(); question !== undefined; question = left.pop()) {
      const { token, body } = question
      const began = performance.now()
      for (const statement of statementsFor(tenants.find((tenant) => tenant.token === token)?.id ?? '', body as Body))
        await pool.query(statement.text, statement.values)
      taken.push(performance.now() - began)
    }
  }
  try {
    await Promise.all(Array.from({ length: clients }, client))
  } finally {
    await pool.end()
  }
  return taken
}

function statementsFor(
  tenantId: string,
  { text = '', status = [], templateId = [], caId = [], expires, page = 1, size = 10, sort = 'issuedAt', direction = 'desc' }: Body,
): { text: string; values: unknown[] }[] {
  const values: unknown[] = [tenantId]
  const value = (one: unknown) => `$${values.push(one)}`
  const conditions = ['tenant_id = $1']
  for (const term of text.split(' ').filter((one) => one !== '')) {
    const like = value(`%${term}%`)
    conditions.push(
      `(${['name', 'subject', 'email', 'holder', 'serial_hex', 'fingerprint_sha256', 'array_to_string(sans, chr(32))'].map((column) => `${column} ilike ${like}`).join(' or ')})`,
    )
  }
  if (status.length > 0) conditions.push(`(${status.map((name) => `(${states[name]})`).join(' or ')})`)
  if (templateId.length > 0) conditions.push(`template_id = any(${value(templateId)})`)
  if (caId.length > 0) conditions.push(`ca_id = any(${value(caId)})`)
  if (expires !== undefined)
    conditions.push(`revoked_at is null and not_after between now() and now() + interval '${windows[expires] ?? 0} days'`)
  const where = conditions.join(' and ')
  const state = `case ${Object.entries(states)
    .map(([name, condition]) => `when ${condition} then '${name}'`)
    .join(' ')} else 'pending' end`
  return [
    `select id, name, subject, sans, email, serial_hex, ca_name, template_name, not_after, issued_at from certificates where ${where} order by ${orders[sort]} ${direction}, id ${direction} limit ${size} offset ${(page - 1) * size}`,
    `select count(*) from certificates where ${where}`,
    `select ${state}, count(*) from certificates where ${where} group by 1`,
    `select template_id, count(*) from certificates where ${where} group by 1`,
    `select ca_id, count(*) from certificates where ${where} group by 1`,
  ].map((statement) => ({ text: statement, values }))
}
