// A QR code as SVG, always dark on light so that every camera reads it.

import { encode } from 'uqr'

export type QrCodeProps = { value: string; label: string; size?: number }

export function QrCode({ value, label, size = 192 }: QrCodeProps) {
  const code = encode(value, { border: 2, ecc: 'M' })
  const squares = code.data.flatMap((line, y) => line.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg role="img" aria-label={label} width={size} height={size} viewBox={`0 0 ${code.size} ${code.size}`} shapeRendering="crispEdges" style={{ borderRadius: 6 }}>
      <rect width={code.size} height={code.size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  )
}
