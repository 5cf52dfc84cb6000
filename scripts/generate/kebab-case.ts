/** `MacHost` becomes `mac-host`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}
