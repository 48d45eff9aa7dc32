// The logo of the host's tenancy. Beside the name it says nothing more; where it holds the name, it is the name.

export function Logo({ icon, name, height = 28 }: { icon: string; name: string; height?: number }) {
  return <img src={icon} alt={name} height={height} style={{ maxWidth: 200, objectFit: 'contain' }} />
}
