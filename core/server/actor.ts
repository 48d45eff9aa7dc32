/** Who does something, as the audit log has it. */
export type Actor = { userId?: string | undefined; name: string; address?: string }
