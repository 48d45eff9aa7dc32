import { formatNumber, t } from '#core/console/text.ts'

/** `1,204`, or `10,000+` where the count stopped there. */
export const countText = ({ count, more }: { count: number; more: boolean }): string =>
  more ? t('{count}+', { count: formatNumber(count) }) : formatNumber(count)
