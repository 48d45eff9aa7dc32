// What people call the states of a sponsor.

export const stateLabels = {
  active: { label: 'Active' },
  ending: { label: 'Ends soon' },
  planned: { label: 'Planned' },
  ended: { label: 'Ended' },
} as const
