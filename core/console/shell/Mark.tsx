// The product's mark: a seal with a C cut into it.

export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden focusable="false">
      <path
        d="M12 1.2l2.3 1.9 2.9-.6 1.2 2.7 2.9.7-.1 3 2.2 2-1.6 2.5 1 2.8-2.6 1.4-.4 3-3 .1-1.8 2.3-2.8-1.1-2.8 1.1-1.8-2.3-3-.1-.4-3L1.6 16.2l1-2.8L1 10.9l2.2-2-.1-3 2.9-.7 1.2-2.7 2.9.6z"
        fill="var(--mantine-primary-color-filled)"
      />
      <path d="M15.9 9.1a4.7 4.7 0 1 0 0 5.8" fill="none" stroke="var(--chancery-surface)" strokeWidth="2.2" strokeLinecap="round" />
    </svg>
  )
}
