// The command of the package, as a program of this folder.
import 'pyright/index.js';
