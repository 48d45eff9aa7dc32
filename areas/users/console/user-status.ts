export const userStatusLabels = { active: 'Active', invited: 'Invited', disabled: 'Disabled' } as const
