// The words for how a visit stands.

export const visitLabels = {
  planned: { of: 'pending', label: 'Expected' },
  noShow: { of: 'cancelled', label: 'Did not come' },
  arrived: { of: 'active', label: 'In the house' },
  overstayed: { of: 'warning', label: 'Has not left' },
  left: { of: 'done', label: 'Left' },
  cancelled: { of: 'cancelled', label: 'Cancelled' },
} as const
